/** What the OpenAPI document adds to a route and its schemas. */
import type { ErrorCode, FieldError } from '../../../shared/contract/errors.ts';
import type { RouteName } from '../../../shared/contract/routes.ts';
import type { Answers } from './answers.ts';
import type { Tag } from './introduction.ts';
import type { Requests } from './requests.ts';

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

/** OpenAPI links: which operation takes a value of this response. Test tools use them to chain calls. */
export interface Link {
  readonly operationId: RouteName;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly description: string;
}

export interface Answer {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  readonly content: { readonly schema: keyof Answers; readonly examples: Readonly<Record<string, Example>> };
  readonly headers?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, Link>>;
}

export interface Description {
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: {
    readonly schema: keyof Requests;
    readonly mediaTypes: readonly ('application/json' | 'application/x-www-form-urlencoded')[];
    readonly examples: Readonly<Record<string, Example>>;
  };
  /** Whether the operation is a send: it accepts `Idempotency-Key` and counts towards caps, which adds four errors. */
  readonly keyed?: boolean;
  readonly answer: Answer;
  /** Of a send: the examples of the answer to `?dry_run=true`. */
  readonly dryRun?: Pick<Answer, 'content'>;
  /** A faulty field, for the example of `invalid_request`; none where the operation takes no fields. */
  readonly fieldError?: FieldError;
  /** In addition to those of its scope, body and idempotency key. */
  readonly errors?: readonly ErrorCode[];
}
