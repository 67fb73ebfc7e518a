package dev.interlock.compare.cli;

import dev.interlock.LockException;
import dev.interlock.testservers.TestServerException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** How errors are told to people: our own in their words, others with their type. */
public final class Errors {
  private Errors() {}

  public static String describe(Throwable error) {
    Throwable cause = error.getCause();
    if (cause != null && error instanceof ExecutionException) {
      return describe(cause);
    }
    if (error instanceof LinkageError) {
      return "A library is missing on the class path, or too old or too new: "
          + error
          + (error.getCause() == null ? "" : " (" + error.getCause() + ")");
    }
    String message = error.getMessage();
    boolean speaksForItself =
        error instanceof LockException || error instanceof TestServerException;
    return speaksForItself && message != null ? message : error.toString();
  }

  /** Leaves out all of a URI but its scheme: a password may be anywhere in it, as it was typed. */
  public static String withoutUris(String message, String[] args) {
    String shown = message;
    List<String> longestFirst = Arrays.stream(args)
        .filter(arg -> arg.contains("://"))
        .map(arg -> arg.substring(arg.indexOf("://")))
        .sorted(Comparator.comparingInt(String::length).reversed()) // one may begin another
        .toList();
    for (String secret : longestFirst) {
      shown = shown.replace(secret, "://...");
    }
    return shown.replaceAll("://[^\\s']*", "://..."); // a part of an argument
  }
}
