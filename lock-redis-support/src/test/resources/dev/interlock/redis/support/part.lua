local a = 1
