/** The last step: answers a HEAD, a repeated GET of what has not changed, and a caller that takes compressed content. */
import { gzipSync } from 'node:zlib';
import type { HttpResponse } from './request-context.ts';
import { onEveryResponse, type Step } from './request-context.ts';

/** Below this, compression makes a response no smaller than its packet. */
const compressedBytesMin = 1024;

export function encodeResponse(): Step {
  return onEveryResponse(({ event: { httpMethod }, incoming: { headers } }, response) => {
    const { ETag: etag } = response.headers;
    if (etag !== undefined && response.statusCode === 200 && matches(headers['if-none-match'], etag)) {
      return { ...withoutContent(response), statusCode: 304 };
    }
    // API Gateway decodes the base64 of binary content by `Accept`, which some clients leave out (Go's standard one).
    const coding = headers.accept === undefined ? '' : (headers['accept-encoding'] ?? '');
    const encoded = compressed(response, coding);
    return httpMethod === 'HEAD' ? withoutContent(encoded) : encoded;
  });
}

function withoutContent(response: HttpResponse): HttpResponse {
  return { ...response, body: '', isBase64Encoded: false };
}

/** Weakly (RFC 9110, section 13.1.2): the same content in another encoding matches. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const weak = (tag: string): string => tag.trim().replace(/^W\//, '');
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || weak(tag) === weak(etag));
}

function compressed(response: HttpResponse, acceptEncoding: string): HttpResponse {
  const { body, headers, isBase64Encoded } = response;
  if (isBase64Encoded || headers['Content-Encoding'] !== undefined) return response;
  if (body.length < compressedBytesMin) return response;
  const varied = { ...headers, Vary: 'Accept-Encoding' };
  if (!acceptsGzip(acceptEncoding)) return { ...response, headers: varied };
  return {
    ...response,
    headers: { ...varied, 'Content-Encoding': 'gzip' },
    body: gzipSync(body).toString('base64'),
    isBase64Encoded: true,
  };
}

/** RFC 9110, section 12.5.3: a quality of 0 is a refusal, and `*` is every coding that is not named. */
function acceptsGzip(acceptEncoding: string): boolean {
  const qualities = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((coding) => {
        const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
        const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
        return [name, Number(quality)] as const;
      }),
  );
  return (qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0) > 0;
}
