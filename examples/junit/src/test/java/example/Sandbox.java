package example;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** A Countersign sandbox: the one at {@code COUNTERSIGN_URL}, or a process that stops at the end of the run. */
final class Sandbox implements CloseableResource {
  private static final Pattern ready = Pattern.compile("ready at (http\\S+)");

  private final Process process;
  private final String baseUrl;

  private Sandbox(Process process, String baseUrl) {
    this.process = process;
    this.baseUrl = baseUrl;
  }

  static Sandbox open() {
    var given = System.getenv("COUNTERSIGN_URL");
    return given == null ? start() : new Sandbox(null, given);
  }

  private static Sandbox start() {
    try {
      var process = countersign("start", "--port", "0", "--data", ":memory:", "--log", "off").start();
      var output = process.inputReader();
      for (var line = output.readLine(); line != null; line = output.readLine()) {
        var found = ready.matcher(line);
        if (found.find()) return new Sandbox(process, found.group(1));
      }
      throw new IllegalStateException("The sandbox did not start; its own words are above.");
    } catch (IOException error) {
      throw new UncheckedIOException("npx is missing: install Node.js 24.", error);
    }
  }

  /** Makes a platform with two customers. A shared sandbox needs the {@code CONTROL_TOKEN} that it was started with. */
  Platform createPlatform() throws IOException, InterruptedException {
    var control = URI.create(baseUrl).resolve("/__sandbox");
    var request = HttpRequest.newBuilder(URI.create(control + "/platforms"))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{\"world\":\"ready-made\"}"));
    var token = System.getenv("CONTROL_TOKEN");
    if (token != null) request.header("Authorization", "Bearer " + token);
    var response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() != 201) throw new IOException(response.body());
    var made = new ObjectMapper().readTree(response.body());
    var id = made.get("clientId").asText();
    var secret = made.get("clientSecret").asText();
    return new Platform(new Service(baseUrl, id, secret), new Service(control.toString(), id, secret));
  }

  /** Compares a recording with the contract. Returns the findings, or nothing. */
  static String check(Path recording) throws IOException, InterruptedException {
    var check = countersign("check", recording.toString()).start();
    var words = new String(check.getInputStream().readAllBytes());
    return check.waitFor() == 0 ? "" : words;
  }

  private static ProcessBuilder countersign(String... args) {
    var isWindows = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("win");
    var command = new ArrayList<>(List.of(isWindows ? "npx.cmd" : "npx", "countersign"));
    command.addAll(List.of(args));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  @Override
  public void close() throws InterruptedException {
    if (process == null) return;
    process.destroy();
    process.waitFor();
  }
}
