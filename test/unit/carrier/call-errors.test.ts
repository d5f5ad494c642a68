/** A message counts as not sent only if the carrier cannot have it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { outcomeOfError } from '../../../shared/carrier/aws/call-errors.ts';
import { carrierEnvironment, startCarrierServer } from '../../support/carrier/carrier-server.ts';

function errorLike(fields: object): Error {
  return Object.assign(new Error('failed'), fields);
}

describe('errors before the connection is open', () => {
  it.each([
    [{ code: 'ECONNREFUSED', syscall: 'connect' }],
    [{ code: 'ETIMEDOUT', syscall: 'connect' }],
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
    [{ code: 'ECONNREFUSED', errors: [{ syscall: 'connect' }, { syscall: 'connect' }] }],
    [{ name: 'TimeoutError', message: 'the request socket did not establish a connection with the server' }],
    [{ name: 'CredentialsProviderError' }],
  ])('%j: the message may be handed over again', (fields) => {
    expect(outcomeOfError(errorLike(fields), {}).outcome).toBe('not_taken');
  });
});

describe('errors that AWS names', () => {
  it.each([
    ['InternalServerException', 500, 'not_taken'],
    ['InternalServiceException', 500, 'not_taken'],
    ['InternalServerError', 500, 'not_taken'],
    ['InternalFailure', 500, 'not_taken'],
    ['ServiceUnavailable', 503, 'not_taken'],
    ['ServiceUnavailableException', 503, 'not_taken'],
    ['SlowDown', 503, 'throttled'],
    ['RequestThrottled', 429, 'throttled'],
    ['ThrottlingException', 400, 'throttled'],
  ])('%s with %i: %s', (name, httpStatusCode, outcome) => {
    expect(outcomeOfError(errorLike({ name, $metadata: { httpStatusCode } }), {}).outcome).toBe(outcome);
  });
});

describe('errors after which the carrier may have the message', () => {
  it.each([
    [{ code: 'ECONNRESET', syscall: 'read' }],
    [{ code: 'EPIPE', syscall: 'write' }],
    [{ code: 'EHOSTUNREACH', syscall: 'write' }],
    [{ code: 'ECONNRESET', errors: [{ syscall: 'connect' }, { syscall: 'read' }] }],
    [{ name: 'AbortError' }],
    [{ name: 'TimeoutError', message: 'a request has exceeded the configured 3000 ms requestTimeout' }],
    [{ name: 'GatewayTimeout', $metadata: { httpStatusCode: 504 } }],
    [{ name: 'InternalServerException', $metadata: { httpStatusCode: 504 } }],
    [{ name: 'Unheard', $metadata: { httpStatusCode: 400 } }],
    // What the SDK calls a response without an error of AWS.
    [{ name: 'Unknown', $metadata: { httpStatusCode: 429 } }],
    [{ name: 'SyntaxError', $metadata: { httpStatusCode: 500 } }],
    [{ name: '503', $metadata: { httpStatusCode: 503 } }],
    [{ name: 'RequestTimeoutException', $metadata: { httpStatusCode: 408 } }],
    // A response whose reading failed: it stood, so the code of the broken connection proves nothing.
    [{ syscall: 'connect', $metadata: { httpStatusCode: 200 } }],
  ])('%j is thrown on', (fields) => {
    const error = errorLike(fields);
    expect(() => outcomeOfError(error, {})).toThrow(error);
  });

  it('throws a value that is not an error', () => {
    expect(() => outcomeOfError(undefined, {})).toThrow();
  });
});

it('reports over a real connection that nothing was sent to a carrier that does not listen', async () => {
  const gone = await startCarrierServer();
  await gone.close();
  // In a process of its own: errors of the network reach the client here as those of another realm.
  const script = `
    const { awsSms } = await import('./shared/carrier/aws/aws-sms.ts');
    const carrier = awsSms(
      { originationIdentity: 'A', configurationSet: 'B', prices: { currency: 'USD', sms: {}, whatsapp: {} }, timeLimitMs: 2000 },
      () => new Date(),
    );
    const message = { message_id: 'msg_1', client_id: 'acme', recipient: '+447700900123', type: 'transactional', expires_at: '2100-01-01T00:00:00.000Z' };
    console.log(JSON.stringify(await carrier.handOver({ message, body: { text: 'Hello' }, attempt: { id: 'msg_1.1', number: 1, at: new Date() } })));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, ...carrierEnvironment(gone.url) },
  });
  expect(JSON.parse(stdout)).toEqual({ outcome: 'not_taken', reason: 'ECONNREFUSED' });
});
