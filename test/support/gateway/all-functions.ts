/** Every HTTP function as its own file exports it, on private tables: what is in `routes` is here, and nothing is stubbed. */
import { randomBytes } from 'node:crypto';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { createApiKey, createClient } from '../../../shared/client/client-admin.ts';
import { adminRoutes, type Route, routes, unmatchedRoute } from '../../../shared/contract/routes.ts';
import type { HttpFunction } from '../../../shared/http/http-function.ts';
import { functionEnvironment } from '../../bench/function-environment.ts';
import { createTables } from '../engine/tables.ts';
import { putAllLimits } from '../rate-limit/put-limits.ts';
import { accessTo, createSigningKey } from './access.ts';
import { clientConfig, gateway, kmsClient } from './gateway.ts';

/** What API Gateway passes on of a request, as far as a caller decides it. */
export interface HostileRequest {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface AllFunctions {
  readonly clientId: string;
  /** Another client, which administrators may disable, or give new secrets to. */
  readonly administeredClientId: string;
  readonly clientSecret: string;
  /** `Authorization` headers. */
  readonly client: string;
  readonly admin: string;
  /** From an address that nobody used before. */
  call(request: HostileRequest): Promise<APIGatewayProxyResult>;
  drop(): Promise<void>;
}

/** Those whose answers are files that the build puts beside them are left to the tests of the deployed gateway. */
const madeByTheBuild: ReadonlySet<string> = new Set(['describe-api', 'admin-dashboard']);

export const hostileRoutes: readonly Route[] = [
  ...Object.values<Route>(routes),
  ...Object.values<Route>(adminRoutes),
  unmatchedRoute,
].filter(({ functionName }) => !madeByTheBuild.has(functionName));

export async function loadAllFunctions(): Promise<AllFunctions> {
  const tables = await createTables();
  const variables: Record<string, string> = { ...functionEnvironment };
  for (const [name, table] of Object.entries(tables.names)) variables[`${name.toUpperCase()}_TABLE`] = table;
  const { aws } = gateway();
  const kms = kmsClient();
  Object.assign(process.env, variables, {
    TOKEN_SIGNING_KEY_ID: await createSigningKey(kms),
    OTP_SECRET_ARN: await newOtpSecret(),
    RECEIPTS_QUEUE_URL: await newQueue(),
    AWS_REGION: aws.region,
    AWS_ACCESS_KEY_ID: aws.access_key_id,
    AWS_SECRET_ACCESS_KEY: aws.secret_access_key,
    AWS_ENDPOINT_URL: aws.endpoint,
  });
  const handlers = new Map<string, HttpFunction>();
  for (const { functionName } of hostileRoutes) {
    const module = (await import(`../../../functions/${functionName}.ts`)) as {
      readonly handler: HttpFunction;
    };
    handlers.set(functionName, module.handler);
  }

  let requests = 0;
  const call: AllFunctions['call'] = async (request) => {
    const handler = handlers.get(request.route.functionName);
    if (handler === undefined) throw new Error(`no function for ${request.route.path}`);
    requests += 1;
    const sourceIp = `10.${requests >> 16}.${(requests >> 8) & 255}.${requests & 255}`;
    const event = {
      httpMethod: request.method,
      path: request.path,
      resource: request.route.path,
      headers: request.headers,
      body: request.body === undefined ? null : Buffer.from(request.body).toString('base64'),
      isBase64Encoded: request.body !== undefined,
      pathParameters: request.pathParameters,
      queryStringParameters: request.query,
      requestContext: { requestId: `request-${requests}`, identity: { sourceIp } },
    } as unknown as APIGatewayProxyEvent;
    return await handler(event, { getRemainingTimeInMillis: () => 20_000 } as Context);
  };

  const access = accessTo(tables, new Date());
  const newClient = async (scope: 'messages' | 'admin') => {
    const made = await createClient(access.admin, { name: 'Hostile', scopes: [scope] }, new Date());
    const limits = { perMinute: 25_000, perHour: 1_000_000, perDay: 10_000_000 };
    await putAllLimits(tables.dynamo, tables.names.limit_overrides, made.client.client_id, limits);
    return made;
  };
  const admin = await newClient('admin');
  const { client, clientSecret } = await newClient('messages');
  const administered = await newClient('messages');
  const { apiKey } = await createApiKey(access.admin, client.client_id, new Date());
  const issued = await call({
    route: routes.issueToken,
    method: 'POST',
    path: routes.issueToken.path,
    pathParameters: {},
    query: {},
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: admin.client.client_id,
      client_secret: admin.clientSecret,
      grant_type: 'client_credentials',
    }),
  });
  const { access_token } = JSON.parse(issued.body) as { access_token: string };
  return {
    clientId: client.client_id,
    clientSecret,
    administeredClientId: administered.client.client_id,
    client: `Bearer ${apiKey}`,
    admin: `Bearer ${access_token}`,
    call,
    async drop() {
      kms.destroy();
      await tables.drop();
    },
  };
}

/** Takes the messages that the simulated carrier makes up. */
async function newQueue(): Promise<string> {
  const queues = new SQSClient(clientConfig());
  const { QueueUrl } = await queues.send(
    new CreateQueueCommand({ QueueName: `receipts-${randomBytes(6).toString('hex')}` }),
  );
  queues.destroy();
  if (QueueUrl === undefined) throw new Error('the queue has no URL');
  return QueueUrl;
}

async function newOtpSecret(): Promise<string> {
  const secrets = new SecretsManagerClient(clientConfig());
  const { ARN } = await secrets.send(
    new CreateSecretCommand({
      Name: `otp-${randomBytes(6).toString('hex')}`,
      SecretString: randomBytes(32).toString('hex'),
    }),
  );
  secrets.destroy();
  if (ARN === undefined) throw new Error('the secret has no ARN');
  return ARN;
}
