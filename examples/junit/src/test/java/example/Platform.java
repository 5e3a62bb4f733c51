package example;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Credentials, data and a clock that no other test class sees. */
public record Platform(Service service, Service control) {

  /** Moves the clock; what falls due by then has happened. */
  public void advance(Duration duration) {
    control.post("/clock", Map.of("advanceSeconds", duration.toSeconds()));
  }

  /** The connection breaks the next time, after the operation was carried out and before its answer. */
  public void breakConnectionAfter(String operation) {
    var rule = Map.of("operation", operation, "times", 1, "drop", "after");
    control.call("PUT", "/faults", Map.of("rules", List.of(rule)), Map.of());
  }

  /** Takes the platform to its first moment: data, clock and faults. */
  void reset() {
    control.post("/reset", null);
  }

  /** What was said so far, as a HAR file. */
  JsonNode journal() {
    return control.get("/journal?format=har");
  }

  void end() {
    control.call("DELETE", "/platform", null, Map.of());
  }
}
