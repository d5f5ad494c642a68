/** API Gateway: turns a caller's request into the event of its function, and what becomes of that into a response. */
import { carrierRoutes, type Route, type RouteName, routes } from '../../../../shared/contract/routes.ts';
import type { Deployment } from '../deployment.ts';
import type { Faults } from '../faults.ts';
import type { Processes } from '../lambda/processes.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Asked, Must, OutsideRecord } from './record.ts';

export interface ApiRequest {
  readonly clientId: string;
  readonly credential: string | undefined;
  readonly route: RouteName | 'adminApi' | 'carrierCallback';
  /** The values of the path's parameters, or the path below `/admin/api`. */
  readonly path?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string | undefined;
  readonly must?: Must | undefined;
  readonly hasValidCredential?: boolean;
}

interface ApiSettings {
  readonly deployment: Deployment;
  readonly processes: Processes;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly record: OutsideRecord;
}

const adminApi = { method: 'GET', path: '/admin/api/{proxy+}', functionName: 'admin-api' } as const;
const allRoutes = { ...routes, ...carrierRoutes, adminApi };

export function apiGateway({ deployment, processes, time, faults, record }: ApiSettings) {
  const functions = new Map(deployment.functions.map((each) => [each.file, each]));

  return async function ask(request: ApiRequest): Promise<Asked> {
    const route: Pick<Route, 'method' | 'path' | 'functionName'> = allRoutes[request.route];
    const deployed = functions.get(route.functionName);
    if (deployed === undefined) throw new Error(`no function of ${request.route}`);
    const path = route.path.replace(/\{(\w+)\+?\}/g, (_, name: string) => request.path?.[name] ?? '');
    const asked: Asked = {
      atMs: time.now(),
      clientId: request.clientId,
      route: request.route,
      path,
      body: request.body,
      key: request.key,
      must: request.must,
      hasValidCredential: request.hasValidCredential === true,
    };
    record.asked.push(asked);
    const { fault, point } = faults.decide(
      `${request.route} request`,
      { 'the caller gives up': 0.02 },
      time.now(),
    );
    await time.sleep(faults.durationMs(point, 2, 30));
    const outcome = await processes.invoke(deployed, eventOf(request, route, path, point));
    await time.sleep(faults.durationMs(`${point} answer`, 2, 30));
    asked.answeredAtMs = time.now();
    if (fault === 'the caller gives up') asked.lost = true;
    if (!outcome.answered) {
      asked.status = outcome.why === 'time limit' ? 504 : 502;
      return asked;
    }
    const { statusCode, headers, body } = outcome.value as {
      readonly statusCode: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };
    asked.status = statusCode;
    asked.headers = headers;
    asked.answer = body === '' ? undefined : JSON.parse(body);
    return asked;
  };
}

function eventOf(
  request: ApiRequest,
  route: Pick<Route, 'method' | 'path'>,
  path: string,
  point: string,
): object {
  const headers: Record<string, string> = {
    ...request.headers,
    ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(request.credential === undefined ? {} : { Authorization: `Bearer ${request.credential}` }),
    ...(request.key === undefined ? {} : { 'Idempotency-Key': request.key }),
  };
  const query = request.query === undefined ? null : request.query;
  const multiValueQuery =
    query === null ? null : Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]));
  return {
    resource: route.path,
    path,
    httpMethod: request.method ?? route.method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: query,
    multiValueQueryStringParameters: multiValueQuery,
    pathParameters: request.path ?? null,
    stageVariables: null,
    requestContext: {
      requestId: point.replaceAll(' ', '-'),
      identity: { sourceIp: '203.0.113.9' },
      httpMethod: request.method ?? route.method,
      path,
    },
    body: request.body === undefined ? null : JSON.stringify(request.body),
    isBase64Encoded: false,
  };
}
