/**
 * Serves the dashboard's files. The files are compressed in advance, unchanged files are not sent again, and a strict
 * content security policy applies.
 */
import { gunzipSync } from 'node:zlib';
import { GatewayError } from '../../contract/errors.ts';
import type { ApiRequest, ApiResponse, Operation } from '../../operation/operation.ts';

export interface DashboardFile {
  readonly contentType: string;
  /** The ETag of the content, whatever its encoding. */
  readonly etag: string;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

export const pageName = 'index.html';

/** All scripts and styles come from this server. Only a script sets style attributes, and this policy permits that. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=31536000',
};

/** Browsers revalidate the page each time. Other files never change, because their names contain a hash of the content. */
const pageCaching = 'no-cache';
const assetCaching = 'public, max-age=31536000, immutable';

/** @param files - by name; the page under `index.html` */
export function serveDashboard(files: ReadonlyMap<string, DashboardFile>): Operation {
  return async (request) => {
    const [slashes] = /\/*$/.exec(request.path) ?? [''];
    if (request.pathParameters.file === undefined && slashes !== '') return redirectToPage(slashes.length);
    const name = request.pathParameters.file ?? pageName;
    const file = files.get(name);
    if (file === undefined || (name === pageName && request.pathParameters.file !== undefined)) {
      throw new GatewayError('not_found', `There is no ${request.path}.`);
    }
    const headers = {
      ...securityHeaders,
      'Content-Type': file.contentType,
      'Cache-Control': name === pageName ? pageCaching : assetCaching,
      ETag: file.etag,
      Vary: 'Accept-Encoding',
    };
    if (isKnown(request, file)) return { status: 304, headers, body: '' };
    return fileResponse(file, headers, request.headers['accept-encoding'] ?? '');
  };
}

/**
 * Redirects `/admin/` to `/admin`, to which the page's links are relative. The redirect is relative too, so it works
 * on any stage and domain.
 */
function redirectToPage(slashes: number): ApiResponse {
  return {
    status: 302,
    headers: {
      ...securityHeaders,
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'public, max-age=300',
      Location: `${'../'.repeat(slashes)}admin`,
    },
    body: '',
  };
}

function fileResponse(
  file: DashboardFile,
  headers: Readonly<Record<string, string>>,
  acceptEncoding: string,
): ApiResponse {
  const accepted = new Set(acceptEncoding.split(',').map(codingOf));
  if (accepted.has('br')) {
    return { status: 200, headers: { ...headers, 'Content-Encoding': 'br' }, body: file.brotli };
  }
  if (accepted.has('gzip')) {
    return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: file.gzip };
  }
  // Sends the file as text, because API Gateway then needs no `Accept` header.
  return { status: 200, headers, body: gunzipSync(file.gzip).toString('utf8') };
}

/** Parses `gzip;q=0.5` as `gzip`; a coding with the weight 0 is not accepted (RFC 9110, section 12.5.3). */
function codingOf(text: string): string {
  const [coding = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? '' : coding;
}

function isKnown(request: ApiRequest, { etag }: DashboardFile): boolean {
  const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known?.some((one) => one === etag || one === '*') ?? false;
}
