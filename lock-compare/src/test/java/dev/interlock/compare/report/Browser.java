package dev.interlock.compare.report;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** A headless Chromium that is installed here, with a profile of its own. Not thread-safe. */
final class Browser implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /**
   * Starts it.
   *
   * @param profile an empty directory
   * @return empty if Chromium or its driver is not on the PATH
   */
  static Optional<Browser> start(Path profile) {
    Optional<Path> browser = NAMES.stream().flatMap(name -> find(name).stream()).findFirst();
    Optional<Path> driver = find("chromedriver");
    if (browser.isEmpty() || driver.isEmpty()) {
      return Optional.empty();
    }
    ChromeOptions options = new ChromeOptions();
    options.setBinary(browser.get().toFile());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--user-data-dir=" + profile);
    options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL"));
    ChromeDriverService service = new ChromeDriverService.Builder()
        .usingDriverExecutable(driver.get().toFile())
        .usingAnyFreePort()
        .build();
    return Optional.of(new Browser(new ChromeDriver(service, options)));
  }

  private static Optional<Path> find(String command) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .map(directory -> Path.of(directory, command))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Sets width, height and density of the screen, and whether the user prefers dark. */
  void screen(int width, int height, double density, boolean dark) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of(
            "width", width, "height", height, "deviceScaleFactor", density, "mobile", width < 600));
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
  }

  void open(Path page) {
    driver.get("about:blank");
    driver.get(page.toUri().toString());
  }

  /** Evaluates an expression in the page. */
  Object eval(String expression) {
    return driver.executeScript("return " + expression);
  }

  void click(String selector) {
    driver.executeScript("document.querySelector(arguments[0]).click()", selector);
  }

  /** What the console has said since the last call. */
  List<String> console() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(LogEntry::toString)
        .toList();
  }

  /** The addresses that were asked for since the last call, beside files and data. */
  List<String> requests() {
    Predicate<String> outside = line -> line.contains("\"Network.requestWillBeSent\"")
        && line.matches(".*\"url\":\"(https?|wss?):.*");
    return driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
        .map(LogEntry::getMessage)
        .filter(outside)
        .toList();
  }

  /** Takes a picture of what is on the screen, or of the page from top to bottom. */
  void picture(Path file, boolean whole) throws IOException {
    Map<String, Object> shot = driver.executeCdpCommand(
        "Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", whole));
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode((String) shot.get("data")));
  }

  @Override
  public void close() {
    driver.quit();
  }
}
