package example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

/** Sends requests to one base address, with an API token. */
public final class Service {
  private static final HttpClient http = HttpClient.newHttpClient();
  private static final ObjectMapper json = new ObjectMapper();

  private final String baseUrl;
  private final String authorization;

  public Service(String baseUrl, String clientId, String clientSecret) {
    this.baseUrl = baseUrl;
    var pair = (clientId + ":" + clientSecret).getBytes(StandardCharsets.UTF_8);
    this.authorization = "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  public JsonNode get(String path) {
    return call("GET", path, null, Map.of());
  }

  public JsonNode post(String path, Object body) {
    return call("POST", path, body, Map.of());
  }

  /**
   * Sends a body as JSON, or no body if it is null.
   *
   * @throws UncheckedIOException if the connection broke, so that the request may or may not have been carried out
   * @throws Refused if the service refused the request
   */
  public JsonNode call(String method, String path, Object body, Map<String, String> headers) {
    try {
      var request = HttpRequest.newBuilder(URI.create(baseUrl + path))
          .timeout(Duration.ofSeconds(30))
          .header("Authorization", authorization)
          .header("Content-Type", "application/json")
          .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(json.writeValueAsBytes(body)));
      headers.forEach(request::header);
      var response = http.send(request.build(), BodyHandlers.ofByteArray());
      if (response.statusCode() >= 400) {
        throw new Refused(response.statusCode(), new String(response.body(), StandardCharsets.UTF_8));
      }
      return json.readTree(response.body());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  /** An error answer of the service. */
  public static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused(int status, String body) {
      super(status + " " + body);
    }
  }
}
