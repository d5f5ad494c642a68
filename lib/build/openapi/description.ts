/** The parts of the OpenAPI document that are written by hand, because they do not follow from the routes and their schemas. */
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
  /** The status of a successful response. Default: 200. */
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
    /** True if the body may be absent. If the body is absent, the operation uses an empty body. */
    readonly optional?: boolean;
  };
  /**
   * True if the operation is a send. Such an operation accepts `Idempotency-Key` and counts towards caps, which adds four
   * errors.
   */
  readonly keyed?: boolean;
  readonly response: SuccessResponse;
  /** The response to `?dry_run=true`, for sends. */
  readonly dryRun?: Body;
  /** The operation's own errors. The errors of its scope, body and idempotency key are added automatically. */
  readonly errors?: readonly ErrorCode[];
}
