/** Promises about single responses: those that API Gateway makes itself, tokens and their keys, TLS, the web ACL. */
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Outcome, StagePromise } from './promise.ts';
import type { Response, VerifiedStage } from './verified-stage.ts';

const contractHeaders = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-policy',
];

/** Whether a response is an error of the contract: status, code, and the headers of every response. */
function refusal({ status, body, headers, text }: Response, wantedStatus: number, code: string): Outcome {
  const missing = contractHeaders.filter((name) => headers.get(name) === null);
  const shown = typeof body.error === 'string' ? body.error : JSON.stringify(text.slice(0, 80));
  return {
    measured: `${status} ${shown}${missing.length === 0 ? '' : `, without ${missing.join(', ')}`}`,
    holds: status === wantedStatus && body.error === code && missing.length === 0,
  };
}

const gatewayRemedy =
  'Compare the gateway responses of the API in the console with lib/capabilities/api/gateway-responses.ts, and deploy the API again.';

async function tokenOf(stage: VerifiedStage): Promise<string> {
  const { clientId, clientSecret } = await stage.newVisitor('checks');
  const { status, body } = await stage.call('POST', '/api/v1/auth/token', {
    body: { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
  });
  if (typeof body.access_token !== 'string') throw new Error(`no token: ${status} ${String(body.error)}`);
  return body.access_token;
}

export const responsePromises: readonly StagePromise[] = [
  {
    title: 'A path that does not exist is answered in the form of every error',
    threshold: '404 not_found with all headers',
    remedy: gatewayRemedy,
    measure: async (stage) => refusal(await stage.call('GET', '/api/v1/nowhere'), 404, 'not_found'),
  },
  {
    title: 'A request without credentials is refused in the form of every error',
    threshold: '401 unauthorized with all headers',
    remedy: gatewayRemedy,
    measure: async (stage) => refusal(await stage.call('GET', '/api/v1/account'), 401, 'unauthorized'),
  },
  {
    title: 'A body above 10 MB is refused in the form of every error',
    threshold: '413 payload_too_large with all headers',
    remedy:
      'docs/deploy.md, Check a deployment: AWS may answer in plain text. Clients keep to 4 MiB, above which the gateway itself answers.',
    async measure(stage) {
      const body = JSON.stringify({ message: 'x'.repeat(10.5 * 1024 * 1024) });
      const visitor = await stage.newVisitor('checks');
      return refusal(await visitor.call('POST', '/api/v1/sms/send', { body }), 413, 'payload_too_large');
    },
  },
  {
    title: 'The web ACL blocks a known attack in the form of every error',
    threshold: '403 forbidden with all headers',
    remedy: 'Look at the web ACL and its association in the console, and at the log aws-waf-logs-….',
    async measure(stage) {
      if (!(await stage.aws.resourceTypes()).has('AWS::WAFv2::WebACLAssociation'))
        return { notApplicable: 'the stage has no web ACL' };
      // A text that the rule group on known bad inputs blocks; the host does not exist.
      const headers = { 'X-Verify': `\${jndi:ldap://verify.invalid/}` };
      return refusal(await stage.call('GET', '/.well-known/jwks.json', { headers }), 403, 'forbidden');
    },
  },
  {
    title: 'A token is valid by the published keys, for one hour',
    threshold: 'ES256, issued by the address in the metadata, 3600 s',
    remedy: 'docs/operate.md; compare publicUrl and customDomain with the address that clients use.',
    async measure(stage) {
      const token = await tokenOf(stage);
      const metadata = await stage.call('GET', '/.well-known/openid-configuration');
      const { issuer, jwks_uri } = metadata.body;
      const keys = await stage.call('GET', '/.well-known/jwks.json');
      const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys.body as never), {
        issuer: String(issuer),
      });
      const seconds = (payload.exp ?? 0) - (payload.iat ?? 0);
      return {
        measured: `${protectedHeader.alg}, issued by ${payload.iss}, ${seconds} s; keys at ${String(jwks_uri)}`,
        holds: protectedHeader.alg === 'ES256' && seconds === 3600,
      };
    },
  },
  {
    title: 'TLS 1.2 is accepted, and nothing older',
    threshold: 'TLS 1.2 accepted; 1.0 and 1.1 refused',
    remedy: 'Give the API a customDomain: its own address accepts what AWS decides.',
    async measure(stage) {
      if (!stage.baseUrl.startsWith('https:')) return { notApplicable: 'the stage has no TLS' };
      const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
      const accepted: string[] = [];
      for (const version of versions) if (await stage.acceptsTls(version)) accepted.push(version);
      return {
        measured: `accepted: ${accepted.join(', ') || 'none'}`,
        holds: accepted.includes('TLSv1.2') && !accepted.includes('TLSv1') && !accepted.includes('TLSv1.1'),
      };
    },
  },
];
