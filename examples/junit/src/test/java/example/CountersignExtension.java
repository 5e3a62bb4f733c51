package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test class a {@link Platform}, which is reset before every test. After the class, all its traffic is compared
 * with the contract.
 */
public final class CountersignExtension
    implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback, ParameterResolver {
  private static final Namespace namespace = Namespace.create(CountersignExtension.class);

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    // The root's store outlives all classes. So the first class starts the sandbox, and JUnit stops it at the end of
    // the run.
    var sandbox = context.getRoot().getStore(namespace)
        .getOrComputeIfAbsent(Sandbox.class, key -> Sandbox.open(), Sandbox.class);
    context.getStore(namespace).put(Platform.class, sandbox.createPlatform());
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    platformOf(context).reset();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    var recording = Path.of("recordings", context.getRequiredTestClass().getSimpleName() + ".har");
    Files.createDirectories(recording.getParent());
    Files.writeString(recording, platformOf(context).journal().toString());
    platformOf(context).end();
    assertEquals("", Sandbox.check(recording), "countersign check");
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Platform.class;
  }

  @Override
  public Platform resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return platformOf(context);
  }

  private static Platform platformOf(ExtensionContext context) {
    return context.getStore(namespace).get(Platform.class, Platform.class);
  }
}
