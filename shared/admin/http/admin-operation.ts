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
import type { AdminContext } from '../admin-context.ts';

interface AdminRequest<Parameter extends string> {
  /** The id of the administrator, for the activity log. */
  readonly actor: string;
  readonly caller: Caller;
  readonly path: Readonly<Record<Parameter, string>>;
}

/** The part of a request that an operation reads. The shell creates these parts for each command. */
type AdminCall = Pick<ApiRequest, 'body' | 'query' | 'caller'>;

export interface AdminOperation<Parameter extends string = string, ResponseOf = unknown> {
  /**
   * Returns the schema of the body or the query; undefined if the operation reads neither. Schemas need only one setting of
   * the stage: the permitted form of a webhook URL.
   */
  schema(stage: { readonly webhookUrl: z.ZodMiniType<string> }): z.ZodMiniType | undefined;
  run(ctx: AdminContext, call: AdminCall, path: Readonly<Record<Parameter, string>>): Promise<ResponseOf>;
}

/**
 * Creates an operation that first checks its body or query. If it is invalid, the operation refuses it and lists all faults.
 */
function reads(parse: <Schema extends z.ZodMiniType>(schema: Schema, call: AdminCall) => z.output<Schema>) {
  return <Schema extends z.ZodMiniType, Parameter extends string, ResponseOf>(
    given: Schema | ((stage: { readonly webhookUrl: z.ZodMiniType<string> }) => Schema),
    work: (
      ctx: AdminContext,
      given: z.output<Schema>,
      request: AdminRequest<Parameter>,
    ) => Promise<ResponseOf>,
  ): AdminOperation<Parameter, ResponseOf> => {
    const schema = typeof given === 'function' ? given : () => given;
    return {
      schema,
      run: (ctx, call, path) => work(ctx, parse(schema(ctx), call), requestOf(call, path)),
    };
  };
}

export const readsBody = reads(parseBody);
/** Treats a missing body as an empty one. */
export const readsOptionalBody = reads(parseOptionalBody);
/** Ignores unknown parameters, because the shell passes every field of a command. */
export const readsQuery = reads((schema, { query }) => parseFields(schema, query));

export function readsNothing<Parameter extends string, ResponseOf>(
  work: (ctx: AdminContext, request: AdminRequest<Parameter>) => Promise<ResponseOf>,
): AdminOperation<Parameter, ResponseOf> {
  return { schema: () => undefined, run: (ctx, call, path) => work(ctx, requestOf(call, path)) };
}

function requestOf<Parameter extends string>(call: AdminCall, path: Readonly<Record<Parameter, string>>) {
  const caller = requireCaller(call);
  return { actor: caller.clientId, caller, path };
}
