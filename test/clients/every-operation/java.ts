/** A program in Java that calls every operation. */
import { type Call, pascalCase } from './calls.ts';

export function openApiGeneratorJava(calls: readonly Call[]): string {
  const lines = calls.map((call) => {
    const { operationId, tag, body } = call;
    // Those that are required come first: the path, and the body.
    const inPath = call.parameters.filter((one) => one.in === 'path').map(literal);
    const bodyText =
      body === undefined
        ? []
        : [`mapper.readValue(${JSON.stringify(JSON.stringify(body.value))}, ${body.schema}.class)`];
    const required = call.parameters.filter((one) => one.in === 'query' && one.required).map(literal);
    const optional = call.parameters.filter((one) => one.in !== 'path' && !one.required).map(literal);
    const values = [...inPath, ...required, ...bodyText, ...optional].join(', ');
    return `    show("${operationId}", () -> new ${pascalCase(tag)}Api(client).${operationId}(${values}));`;
  });
  return `import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.OffsetDateTime;
import java.util.concurrent.Callable;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public final class EveryOperation {
  private static final ObjectMapper mapper = ApiClient.createDefaultObjectMapper();

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
${lines.join('\n')}
  }

  private static void show(String operationId, Callable<Object> call) throws Exception {
    Object answer;
    try {
      answer = call.call();
    } catch (Exception error) {
      answer = error.toString();
    }
    System.out.println(operationId + "\\t" + mapper.writeValueAsString(answer));
  }
}
`;
}

function literal({ schema, value }: Call['parameters'][number]): string {
  if (value === undefined) return 'null';
  const text = JSON.stringify(value);
  if (schema.format === 'date-time') return `OffsetDateTime.parse(${text})`;
  if (typeof schema.$ref === 'string') return `${schema.$ref.split('/').at(-1)}.fromValue(${text})`;
  return text;
}
