/** For each HTTP function a request for every number: no two the same, from thousands of clients, some of them refused. */
import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { adminApiRoutes } from '../../shared/admin/http/admin-routes.ts';
import { pageName } from '../../shared/admin/http/dashboard-files.ts';
import { deriveCode } from '../../shared/otp/otp-text.ts';
import { tokenAlgorithm, tokenLifetimeSeconds, tokenType } from '../../shared/token/token-claims.ts';
import {
  apiKeyOf,
  clientIdOf,
  clientSecretOf,
  idOf,
  otpSecret,
  type RowSettings,
  recipientOf,
  webhookEndpointUrl,
} from './canned-rows.ts';
import { functionEnvironment } from './function-environment.ts';

export interface EventSettings extends RowSettings {
  readonly signingKey: { readonly kid: string; readonly privateKeyPem: string };
  /** Names of the dashboard's files. */
  readonly dashboardFiles: readonly string[];
}

export type EventMaker = (number: number) => unknown;

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly resource?: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** False where the route takes none. */
  readonly credentials?: false;
}

export function httpEvents(settings: EventSettings): Record<string, EventMaker> {
  const { clients, webhookEndpointPort, dashboardFiles } = settings;
  const key = createPrivateKey(settings.signingKey.privateKeyPem);
  const clientOf = (n: number): number => n % clients;
  const hook = (n: number): string => webhookEndpointUrl(clientOf(n), webhookEndpointPort);
  const admin = Object.values(adminApiRoutes);
  const assets = dashboardFiles.filter((name) => name !== pageName);

  const http = (requestOf: (n: number) => Request): EventMaker => {
    return (n) => {
      const request = requestOf(n);
      const authorization =
        request.credentials === false ? {} : { Authorization: credentials(n, key, settings) };
      // As many addresses as clients: what is remembered of them is full as early.
      const address = clientOf(n);
      return gatewayEvent(address, { ...request, headers: { ...authorization, ...request.headers } });
    };
  };
  const post = (path: string, bodyOf: (n: number) => unknown): EventMaker =>
    http((n) => ({
      method: 'POST',
      path,
      headers: n % 3 === 0 ? { 'Idempotency-Key': `key-${n}` } : {},
      // One request in forty is at fault.
      body: n % 40 === 39 ? { faulty: n } : bodyOf(n),
    }));

  return {
    'send-sms': post('/api/v1/sms/send', (n) => ({
      to: recipientOf(n),
      message: `Parcel ${n} arrives today.`,
      reference: `order-${n}`,
      webhook_url: hook(n),
    })),
    'send-bulk-sms': post('/api/v1/sms/bulk', (n) => ({
      message: 'Hello {{name}}, parcel {{number}} arrives today.',
      recipients: Array.from({ length: 10 }, (_, i) => ({
        to: recipientOf(n * 10 + i),
        variables: { name: `N${n}`, ...(i === 9 ? {} : { number: String(i) }) },
      })),
    })),
    'send-whatsapp': post('/api/v1/whatsapp/send', (n) => ({
      to: recipientOf(n),
      ...(n % 2 === 0
        ? { message: `Parcel ${n} arrives today.` }
        : {
            type: 'template',
            template: { name: `parcel_${n}`, language: 'en', parameters: { body: [`${n}`] } },
          }),
    })),
    'send-otp': post('/api/v1/otp/send', (n) => ({ to: recipientOf(n), purpose: `login-${n % 100}` })),
    'verify-otp': post('/api/v1/otp/verify', (n) => {
      const otp_id = idOf('otp', n);
      return { otp_id, code: n % 2 === 0 ? deriveCode(otpSecret, otp_id, 6) : '000000' };
    }),
    'get-message-status': http((n) => {
      const message_id = n % 10 === 9 ? `msg_unknown${n}` : idOf('msg', n);
      return { path: `/api/v1/sms/status/${message_id}`, pathParameters: { message_id } };
    }),
    'list-messages': http((n) => ({
      path: '/api/v1/messages',
      query: n % 2 === 0 ? { reference: `order-${n}` } : { limit: String(1 + (n % 100)) },
    })),
    'cancel-message': http((n) => {
      const message_id = idOf('msg', n);
      return { method: 'DELETE', path: `/api/v1/messages/${message_id}`, pathParameters: { message_id } };
    }),
    'get-account': http(() => ({ path: '/api/v1/account' })),
    'update-account': http((n) => ({
      method: 'PATCH',
      path: '/api/v1/account',
      body: { webhook_url: n % 2 === 0 ? hook(n) : null },
    })),
    'rotate-webhook-secret': http(() => ({
      method: 'POST',
      path: '/api/v1/account/webhook-secret',
      body: {},
    })),
    'webhook-endpoints': http(() => ({
      path: '/api/v1/webhook-endpoints',
      resource: '/api/v1/webhook-endpoints',
    })),
    'issue-token': http((n) => ({
      method: 'POST',
      path: '/api/v1/auth/token',
      credentials: false,
      body: {
        grant_type: 'client_credentials',
        client_id: clientIdOf(clientOf(n)),
        client_secret: n % 10 === 9 ? `cs_wrong${n}` : clientSecretOf(clientOf(n)),
      },
    })),
    'carrier-callback': http((n) => ({ path: `/carriers/twilio/receipts/${n}` })),
    'refuse-unmatched': http((n) => ({ path: `/nowhere/${n}` })),
    'describe-api': http((n) => {
      const page = ['reference', 'webhooks'][n % 3];
      if (page === undefined) return { path: '/openapi.json', resource: '/openapi.json' };
      return { path: `/docs/${page}`, resource: '/docs/{page}', pathParameters: { page } };
    }),
    'admin-dashboard': http((n) => {
      const file = assets[n % assets.length] ?? '';
      const headers = { 'Accept-Encoding': ['br', 'gzip', 'identity'][n % 3] ?? '' };
      return n % 4 === 0
        ? { path: '/admin', headers }
        : { path: `/admin/assets/${file}`, pathParameters: { file }, headers };
    }),
    'admin-api': http((n) => {
      const route = admin[n % admin.length] ?? admin[0];
      const parameters: Record<string, string> = {
        client_id: clientIdOf(clientOf(n)),
        key_id: `key_${clientOf(n)}`,
        message_id: idOf('msg', n),
        delivery_id: idOf('whd', n),
      };
      return {
        method: route?.method ?? 'GET',
        path: (route?.path ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? ''),
        query: route?.path.endsWith('/messages') ? { client_id: clientIdOf(clientOf(n)) } : {},
        body: {
          name: `Client ${n}`,
          disabled: n % 2 === 0,
          endpoint: 'POST /api/v1/sms/send',
          per_minute: 60 + (n % 100),
          delivery_ids: [idOf('whd', n)],
        },
      };
    }),
  };
}

function gatewayEvent(address: number, request: Request): unknown {
  const { method = 'GET', path, resource = path, pathParameters, query, headers, body } = request;
  return {
    httpMethod: method,
    path,
    resource,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
    pathParameters: pathParameters ?? null,
    queryStringParameters: query ?? null,
    requestContext: {
      requestId: randomUUID(),
      identity: { sourceIp: `10.${(address >> 16) % 256}.${(address >> 8) % 256}.${address % 256}` },
    },
  };
}

/** An API key, or a token that is used for ten requests; one request in sixty brings neither. */
function credentials(number: number, key: KeyObject, { clients, signingKey }: EventSettings): string {
  const client = number % clients;
  if (number % 60 === 59) return `Bearer invented-${number}`;
  if (number % 2 === 0) return `Bearer ${apiKeyOf(client)}`;
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iat = Math.floor(Date.now() / 1000) - 10;
  const client_id = clientIdOf(client);
  const content = [
    encode({ alg: tokenAlgorithm, typ: tokenType, kid: signingKey.kid }),
    encode({
      iss: functionEnvironment.TOKEN_ISSUER,
      aud: functionEnvironment.TOKEN_AUDIENCE,
      sub: client_id,
      client_id,
      scope: 'messages admin',
      iat,
      exp: iat + tokenLifetimeSeconds,
      jti: String(number),
    }),
  ].join('.');
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `Bearer ${content}.${signature.toString('base64url')}`;
}
