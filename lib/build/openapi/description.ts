/** The parts of the OpenAPI document that are written by hand, because they cannot be derived from routes and schemas. */
import type { ErrorCode } from '../../../shared/contract/errors.ts';
import type { requests } from './requests.ts';
import type { responseSchemas } from './response-schemas.ts';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
}

interface Body {
  readonly schema: keyof typeof responseSchemas;
  readonly examples: Readonly<Record<string, Example>>;
}

export interface SuccessResponse extends Body {
  /** The status of a successful response; by default 200. */
  readonly status?: 201 | 202;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Description {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: {
    readonly schema: keyof typeof requests;
    readonly examples: Readonly<Record<string, Example>>;
    /** True if the body may be absent, which then means an empty body. */
    readonly optional?: boolean;
  };
  /** True if the operation is a send: it accepts `Idempotency-Key` and counts towards caps, which adds four errors. */
  readonly keyed?: boolean;
  readonly response: SuccessResponse;
  /** The response to `?dry_run=true`, for sends. */
  readonly dryRun?: Body;
  /** The errors of only this operation. Errors of its scope, body and idempotency key are added automatically. */
  readonly errors?: readonly ErrorCode[];
}
