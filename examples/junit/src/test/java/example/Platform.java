package example;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A platform with its own credentials, data and clock. */
public record Platform(Service service, Service control) {

  /** Moves the clock forward. Everything that is due by then has happened. */
  public void advance(Duration duration) {
    control.post("/clock", Map.of("advanceSeconds", duration.toSeconds()));
  }

  /** Breaks the connection of the next call, after the operation was carried out and before its answer. */
  public void breakConnectionAfter(String operation) {
    var rule = Map.of("operation", operation, "times", 1, "drop", "after");
    control.call("PUT", "/faults", Map.of("rules", List.of(rule)), Map.of());
  }

  /** Resets the platform's data, clock and faults. */
  void reset() {
    control.post("/reset", null);
  }

  /** Returns the traffic so far, as a HAR file. */
  JsonNode journal() {
    return control.get("/journal?format=har");
  }

  void end() {
    control.call("DELETE", "/platform", null, Map.of());
  }
}
