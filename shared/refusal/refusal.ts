/** A request of a client that was refused, as it is kept for a day: why, and never what was sent. */
import * as z from 'zod/mini';
import type { FieldError, GatewayError } from '../contract/errors.ts';

/** The statuses by which a client sees that something is wrong with its requests or its rights, not with the gateway. */
const keptStatuses: ReadonlySet<number> = new Set([400, 403, 429]);

export function isKept({ status }: Pick<GatewayError, 'status'>): boolean {
  return keptStatuses.has(status);
}

const fieldError = z.object({ field: z.string(), message: z.string() });

export const refusalSchema = z.readonly(
  z.object({
    request_id: z.string(),
    at: z.iso.datetime(),
    client_id: z.string(),
    /** Method and path of the route. */
    endpoint: z.string(),
    status: z.number(),
    /** The code of the error. */
    reason: z.string(),
    message: z.string(),
    details: z.array(fieldError),
  }),
);

export type Refusal = z.output<typeof refusalSchema>;

const detailsMax = 5;
const messageCharactersMax = 200;
/** Names of fields come from the caller, who can write anything there. */
const plainField = /^[A-Za-z_][\w.[\]-]{0,99}$/;

/**
 * The error without what may be of the caller: numbers, quoted values, and fields that are not named as ours are. The
 * gateway's own examples, such as that of a date, remain.
 */
export function withoutContent({ message, details }: Pick<GatewayError, 'message' | 'details'>): {
  readonly message: string;
  readonly details: FieldError[];
} {
  return {
    message: cleared(message),
    details: details.slice(0, detailsMax).map((detail) => ({
      field: plainField.test(detail.field) && !/\d{5}/.test(detail.field) ? detail.field : '…',
      message: cleared(detail.message),
    })),
  };
}

function cleared(text: string): string {
  return text
    .replace(/"[^"]*"|“[^”]*”/g, '"…"')
    .replace(/(such as [^\s,]+)|\+?\d[\d ()-]{4,}\d/g, (_, example?: string) => example ?? '…')
    .slice(0, messageCharactersMax)
    .toWellFormed();
}
