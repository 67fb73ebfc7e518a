package example.orders;

/** What a customer wants. */
record Order(long id, int items, long cents) {}
