/** A form that sends a change, and shows the errors of it: beside the fields, or for the whole. */

import type { FormEvent } from 'react';
import { fieldError, formError } from '../api/api-error.ts';
import { useChange } from '../api/change.ts';

export interface FormState {
  readonly submit: (event: FormEvent) => void;
  readonly isPending: boolean;
  /** The error that belongs to no field. */
  readonly error: string | undefined;
}

interface FormOptions<Sent> {
  /** The fields of the request that show their errors. */
  readonly fields?: readonly string[];
  readonly send: () => Promise<Sent>;
  readonly onSent: (answer: Sent) => void;
}

export function useForm<Sent>({ fields = [], send, onSent }: FormOptions<Sent>) {
  const change = useChange({ meta: { showsError: true }, mutationFn: send, onSuccess: onSent });
  const submit: FormState['submit'] = (event) => {
    event.preventDefault();
    change.mutate();
  };
  return {
    submit,
    isPending: change.isPending,
    error: formError(change.error, fields),
    errorOf: (field: string) => fieldError(change.error, field),
  };
}
