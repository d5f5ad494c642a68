/** Programs in Go that call every operation. */
import { type Call, given, pascalCase } from './calls.ts';

const helpers = `
func read(text string, into any) {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		log.Fatal(err)
	}
}

func show(operationID string, answer any, err error) {
	text, _ := json.Marshal(answer)
	if err != nil {
		text, _ = json.Marshal(err.Error())
	}
	fmt.Printf("%s\\t%s\\n", operationID, text)
}
`;

const operationName = ({ operationId }: Call): string =>
  operationId.slice(0, 1).toUpperCase() + operationId.slice(1);

/** A literal of a text that is JSON. */
const quoted = (value: unknown): string => JSON.stringify(JSON.stringify(value));

export function oapiCodegen(calls: readonly Call[]): string {
  const blocks = calls.map((call) => {
    const name = operationName(call);
    const query = Object.fromEntries(given(call, 'query').map((one) => [one.name, one.value]));
    const hasParams = call.parameters.some((one) => one.in !== 'path');
    const args = [
      'ctx',
      ...given(call, 'path').map(({ value }) => JSON.stringify(value)),
      ...(hasParams ? ['&params'] : []),
      ...(call.body === undefined ? [] : ['body']),
    ];
    return `	{
${hasParams ? `		var params gateway.${name}Params\n		read(${quoted(query)}, &params)\n` : ''}${
  call.body === undefined
    ? ''
    : `		var body gateway.${call.body.schema}\n		read(${quoted(call.body.value)}, &body)\n`
}		answer, err := client.${name}WithResponse(${args.join(', ')})
		if err != nil {
			log.Fatal(err)
		}
		show("${call.operationId}", answer.JSON${call.answer.status}, nil)
	}`;
  });
  return `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/clients/gateway"
)
${helpers}
func main() {
	ctx := context.Background()
	client, err := gateway.NewClientWithResponses(os.Getenv("BASE_URL"), gateway.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}
${blocks.join('\n')}
}
`;
}

export function openApiGeneratorGo(calls: readonly Call[]): string {
  const blocks = calls.map((call) => {
    const path = given(call, 'path').map(({ value }) => `, ${JSON.stringify(value)}`);
    const query = given(call, 'query').map((one) => `.${pascalCase(one.name)}(${literal(one)})`);
    const body =
      call.body === undefined
        ? ''
        : `		var body gateway.${call.body.schema}\n		read(${quoted(call.body.value)}, &body)\n`;
    const withBody = call.body === undefined ? '' : `.${call.body.schema}(body)`;
    const api = `client.${pascalCase(call.tag)}API.${operationName(call)}`;
    return `	{
${body}		answer, _, err := ${api}(ctx${path.join('')})${query.join('')}${withBody}.Execute()
		show("${call.operationId}", answer, err)
	}`;
  });
  return `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	gateway "github.com/example/client"
)

func instant(text string) time.Time {
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		log.Fatal(err)
	}
	return parsed
}
${helpers}
func main() {
	configuration := gateway.NewConfiguration()
	configuration.Servers = gateway.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := gateway.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), gateway.ContextAccessToken, os.Getenv("TOKEN"))
${blocks.join('\n')}
}
`;
}

function literal({ schema, value }: ReturnType<typeof given>[number]): string {
  const text = JSON.stringify(value);
  if (schema.format === 'date-time') return `instant(${text})`;
  if (typeof schema.$ref === 'string') return `gateway.${schema.$ref.split('/').at(-1)}(${text})`;
  return text;
}
