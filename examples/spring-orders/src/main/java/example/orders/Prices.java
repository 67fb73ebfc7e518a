package example.orders;

/** What things cost; asked somewhere else, which may take its time. */
interface Prices {
  long cents(int items);
}
