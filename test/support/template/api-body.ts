/** The operations of the API's body in a deployment's template. */
import { resourcesOfType } from './stage-templates.ts';

interface BodyOperation {
  readonly path: string;
  /** `ANY`, or a method in upper case. */
  readonly method: string;
  readonly uri: unknown;
  /** The stage variable that names the function. */
  readonly variable: string;
}

export const anyMethod = 'x-amazon-apigateway-any-method';

// biome-ignore lint/suspicious/noExplicitAny: templates have no types
export function apiBodyOf(deployment: string): any {
  return resourcesOfType(deployment, 'AWS::ApiGateway::RestApi')[0]?.[1].Properties.Body;
}

export function operationsOf(deployment: string): BodyOperation[] {
  const { paths } = apiBodyOf(deployment) as {
    readonly paths: Record<string, Record<string, Record<string, { readonly uri: unknown }>>>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([key, operation]) => {
      const uri = operation['x-amazon-apigateway-integration']?.uri;
      const [, variable = ''] = /\$\{stageVariables\.(\w+)\}/.exec(JSON.stringify(uri)) ?? [];
      return { path, method: key === anyMethod ? 'ANY' : key.toUpperCase(), uri, variable };
    }),
  );
}

/** Returns the stage's values of the variables in the body. */
export function stageVariablesOf(deployment: string): Readonly<Record<string, unknown>> {
  return resourcesOfType(deployment, 'AWS::ApiGateway::Stage')[0]?.[1].Properties.Variables;
}
