package dev.interlock.tck.internal.rules;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Numbers in memory that several JVMs share, with nothing to guard them. */
final class SharedCounters implements AutoCloseable {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final FileChannel channel;
  private final ByteBuffer memory;

  private SharedCounters(FileChannel channel, int count) throws IOException {
    this.channel = channel;
    this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) count * Long.BYTES);
  }

  static SharedCounters create(Path file, int count) throws IOException {
    SharedCounters counters = open(file, count);
    for (int i = 0; i < count; i++) {
      counters.write(i, 0);
    }
    return counters;
  }

  static SharedCounters open(Path file, int count) throws IOException {
    return new SharedCounters(
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE), count);
  }

  long read(int index) {
    return (long) LONGS.getVolatile(memory, index * Long.BYTES);
  }

  void write(int index, long value) {
    LONGS.setVolatile(memory, index * Long.BYTES, value);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
