/** An operation of the admin API: its schema of the request, and the function that runs it. */
import type * as z from 'zod/mini';
import {
  type ApiRequest,
  type Caller,
  parseBody,
  parseFields,
  parseOptionalBody,
  requireCaller,
} from '../../operation/operation.ts';

interface AdminRequest<Parameter extends string> {
  /** The id of the administrator, for the activity log. */
  readonly actor: string;
  readonly caller: Caller;
  readonly path: Readonly<Record<Parameter, string>>;
}

export interface AdminOperation<Parameter extends string = string, ResponseOf = unknown> {
  /** The schema of the body or the query; undefined if the operation reads neither. */
  readonly schema: z.ZodMiniType | undefined;
  run(request: AdminCall, path: Readonly<Record<Parameter, string>>): Promise<ResponseOf>;
}

/** The part of a request that an operation reads. The shell makes one for each command. */
type AdminCall = Pick<ApiRequest, 'body' | 'query' | 'caller'>;

/** Makes an operation that checks its body or query first, and refuses it with all of its faults. */
function reads(parse: <Schema extends z.ZodMiniType>(schema: Schema, call: AdminCall) => z.output<Schema>) {
  return <Schema extends z.ZodMiniType, Parameter extends string, ResponseOf>(
    schema: Schema,
    work: (request: AdminRequest<Parameter> & { readonly given: z.output<Schema> }) => Promise<ResponseOf>,
  ): AdminOperation<Parameter, ResponseOf> => ({
    schema,
    run: (request, path) => work({ ...whoAsks(request), path, given: parse(schema, request) }),
  });
}

export const readsBody = reads(parseBody);
/** Treats a missing body as an empty one. */
export const readsOptionalBody = reads(parseOptionalBody);
/** Ignores unknown parameters, because the shell passes every field of a command. */
export const readsQuery = reads((schema, { query }) => parseFields(schema, query));

export function readsNothing<Parameter extends string, ResponseOf>(
  work: (request: AdminRequest<Parameter>) => Promise<ResponseOf>,
): AdminOperation<Parameter, ResponseOf> {
  return { schema: undefined, run: (request, path) => work({ ...whoAsks(request), path }) };
}

function whoAsks(request: AdminCall) {
  const caller = requireCaller(request);
  return { actor: caller.clientId, caller };
}
