/**
 * A server of the test's own that speaks the protocols of the two carrier services: AWS JSON 1.0 for SMS and
 * REST JSON for WhatsApp. It keeps what it was asked, and answers what the test tells it to.
 */
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { startServer } from '../http/local-server.ts';
import type { VendorRequest } from './vendor-description.ts';

interface CarrierRequest {
  readonly service: 'sms' | 'whatsapp';
  readonly body: Record<string, unknown>;
}

interface ServiceError {
  readonly status: number;
  readonly error: string;
  /** Members of the error beside its message. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** `hang` never answers; `reset` breaks the connection after the request has been read. */
export type Answer = { readonly id: string } | ServiceError | 'hang' | 'reset';

export interface CarrierServer {
  readonly url: string;
  /** Every request that came, also those that got no response. */
  readonly requests: readonly CarrierRequest[];
  /** Sets the response to all later requests. */
  answerWith(answer: Answer): void;
  close(): Promise<void>;
}

export async function startCarrierServer(): Promise<CarrierServer> {
  const requests: CarrierRequest[] = [];
  let answer: Answer = { id: 'carrier-1' };

  const { url, close } = await startServer(async (request, response) => {
    const text = await textOf(request);
    const service = serviceOf(request);
    if (service === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ __type: 'UnknownOperationException' }));
      return;
    }
    requests.push({ service, body: JSON.parse(text) });
    const file = process.env.AWS_CALLS_FILE;
    const headers = request.headers as Record<string, string>;
    if (file !== undefined) recordAwsCall(file, { method: 'POST', path: request.url ?? '', headers, text });
    if (answer === 'reset') response.destroy();
    else if (answer !== 'hang') reply(response, service, answer);
  });

  return {
    url,
    requests,
    answerWith: (next) => {
      answer = next;
    },
    close,
  };
}

/** The variables by which AWS's own clients are pointed at the server. */
export function carrierEnvironment(url: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: url,
    AWS_ENDPOINT_URL_SOCIALMESSAGING: url,
    AWS_REGION: 'eu-west-2',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
}

/** Only a request that is signed for the service and has its protocol's marks is a request to it. */
function serviceOf(request: IncomingMessage): CarrierRequest['service'] | undefined {
  const { authorization = '', 'content-type': type } = request.headers;
  if (request.method !== 'POST' || !authorization.startsWith('AWS4-HMAC-SHA256 ')) return undefined;
  if (
    request.url === '/' &&
    type === 'application/x-amz-json-1.0' &&
    request.headers['x-amz-target'] === 'PinpointSMSVoiceV2.SendTextMessage' &&
    authorization.includes('/sms-voice/aws4_request')
  ) {
    return 'sms';
  }
  const forWhatsApp = request.url === '/v1/whatsapp/send' && type === 'application/json';
  return forWhatsApp && authorization.includes('/social-messaging/aws4_request') ? 'whatsapp' : undefined;
}

/** As the emulator records the calls that come to it: see `test/aws-inputs`. */
export function recordAwsCall(file: string, { method, path, headers, text }: VendorRequest): void {
  const service = /Credential=[^,]+\/([^/]+)\/aws4_request/.exec(headers.authorization ?? '')?.[1];
  const target = headers['x-amz-target'] ?? '';
  appendFileSync(file, `${JSON.stringify({ service, method, path, query: '', target, body: text })}\n`);
}

function reply(
  response: ServerResponse,
  service: CarrierRequest['service'],
  answer: Exclude<Answer, string>,
): void {
  const contentType = service === 'sms' ? 'application/x-amz-json-1.0' : 'application/json';
  if ('id' in answer) {
    response.writeHead(200, { 'content-type': contentType });
    response.end(JSON.stringify(service === 'sms' ? { MessageId: answer.id } : { messageId: answer.id }));
    return;
  }
  if (service === 'sms') {
    response.writeHead(answer.status, { 'content-type': contentType });
    const type = `com.amazonaws.pinpointsmsvoicev2#${answer.error}`;
    response.end(JSON.stringify({ __type: type, Message: 'as documented', ...answer.fields }));
    return;
  }
  response.writeHead(answer.status, { 'content-type': contentType, 'x-amzn-errortype': answer.error });
  response.end(JSON.stringify({ message: 'as documented', ...answer.fields }));
}
