-- token is that of the lock under which the row was last written.
CREATE TABLE IF NOT EXISTS orders (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  items INT NOT NULL,
  cents BIGINT NOT NULL,
  token BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS reports (
  made_at TIMESTAMP(3) WITH TIME ZONE NOT NULL,
  instance VARCHAR(100) NOT NULL,
  orders INT NOT NULL
);
