import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Has the real command line of a class read lines, without running them: a line for each command on
 * standard input, the class as the argument. What a synopsis leaves open is filled in: each part in
 * brackets is there or not, and of several values each is tried.
 */
class Parse {
  private static final Pattern OPTIONAL = Pattern.compile("(?<= )\\[((?:[^\\[\\]]|\\[[^\\]]*\\])*)\\]");
  private static final Pattern INNER = Pattern.compile("\\[([^\\[\\]]*)\\]");
  private static final Pattern CHOICE = Pattern.compile("[\\w-]+(?:\\|[\\w-]+)+");
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^ '\"])+");

  public static void main(String[] args) throws Exception {
    Class<?> commands = Class.forName(args[0]);
    int faults = 0;
    int read = 0;
    for (Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8); lines.hasNextLine(); ) {
      String line = lines.nextLine();
      for (String command : variants(filledIn(line))) {
        try {
          new CommandLine(commands.getDeclaredConstructor().newInstance())
              .setCaseInsensitiveEnumValuesAllowed(true)
              .parseArgs(words(command));
          read++;
        } catch (ParameterException e) {
          System.out.println("'" + line + "' is refused, read as '" + command + "': " + e.getMessage());
          faults++;
        }
      }
    }
    System.out.println(args[0] + " accepts " + read + " commands");
    System.exit(faults == 0 ? 0 : 1);
  }

  private static String filledIn(String line) {
    return line.replaceAll("<[^>]*>", "local://")
        .replaceAll(" \\.\\.\\.", " --classpath acme.jar --uri local://")
        .replaceAll("\\b(N|TOKEN)\\b", "1");
  }

  /** Without what is optional; with each of that; and with each of several values. */
  private static List<String> variants(String line) {
    List<String> all = new ArrayList<>();
    Matcher optional = OPTIONAL.matcher(line);
    all.add(optional.replaceAll("").strip());
    optional.reset();
    while (optional.find()) {
      String part = optional.group(1);
      for (String one : List.of(
          INNER.matcher(part).replaceAll(""), INNER.matcher(part).replaceAll("$1"))) {
        String rest = OPTIONAL.matcher(line.substring(0, optional.start())).replaceAll("");
        for (String value : values(one)) {
          all.add((rest + " " + value + OPTIONAL.matcher(line.substring(optional.end())).replaceAll("")).strip());
        }
      }
    }
    return all.stream().distinct().toList();
  }

  private static List<String> values(String part) {
    Matcher choice = CHOICE.matcher(part);
    if (!choice.find()) {
      return List.of(part);
    }
    List<String> values = new ArrayList<>();
    for (String value : choice.group().split("\\|")) {
      values.add(part.substring(0, choice.start()) + value + part.substring(choice.end()));
    }
    return values;
  }

  private static String[] words(String command) {
    return WORD.matcher(command)
        .results()
        .map(word -> word.group().replaceAll("['\"]", ""))
        .toArray(String[]::new);
  }
}
