/** An application that names every module of Interlock that it uses, and sees no other package. */
module example.modular {
  requires dev.interlock.api;
  requires dev.interlock.local;
  requires dev.interlock.redis.setnx;
  requires dev.interlock.redis.watch;
  requires dev.interlock.redis.hash;
  requires dev.interlock.mysql;
  requires dev.interlock.postgres;
  requires dev.interlock.quorum;
  requires dev.interlock.fencing.jdbc;
}
