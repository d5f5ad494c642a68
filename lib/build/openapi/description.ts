/** The parts of the OpenAPI document that do not follow from the routes and their schemas. */
import type { ErrorCode, FieldError } from '../../../shared/contract/errors.ts';
import type { RouteName } from '../../../shared/contract/routes.ts';
import type { Requests } from './requests.ts';
import type { ResponseSchemas } from './response-schemas.ts';

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

/** An OpenAPI link: the operation that takes a value of this response. Test tools use links to chain calls. */
export interface Link {
  readonly operationId: RouteName;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly description: string;
}

interface Body {
  readonly schema: keyof ResponseSchemas;
  readonly examples: Readonly<Record<string, Example>>;
}

export interface SuccessResponse extends Body {
  /** The status of a success; 200 by default. */
  readonly status?: 201 | 202;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, Link>>;
}

export interface Description {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: {
    readonly schema: keyof Requests;
    readonly examples: Readonly<Record<string, Example>>;
    /** Whether the operation takes no body for an empty one. */
    readonly optional?: boolean;
  };
  /** Whether the operation is a send: it accepts `Idempotency-Key` and counts towards caps, which adds four errors. */
  readonly keyed?: boolean;
  readonly response: SuccessResponse;
  /** The response to `?dry_run=true`, for sends. */
  readonly dryRun?: Body;
  /** A faulty field, for the example of `invalid_request`; absent if the operation has no fields. */
  readonly fieldError?: FieldError;
  /** Further errors of the operation: those of its scope, body and idempotency key are added to them. */
  readonly errors?: readonly ErrorCode[];
}
