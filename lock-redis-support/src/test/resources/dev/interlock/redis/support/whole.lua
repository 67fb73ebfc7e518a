return a
