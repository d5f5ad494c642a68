/** A form that sends a change, and shows the errors of it: beside the fields, for the whole, or as a notice once the form is gone. */

import type { FormEvent } from 'react';
import { fieldError, formError } from '../api/api-error.ts';
import { useChange } from '../api/change.ts';
import { useDashboard } from '../context.ts';
import { useIsShown } from './is-shown.ts';

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
  const { notify } = useDashboard();
  const isShown = useIsShown();
  const change = useChange({
    meta: { showsError: true },
    mutationFn: send,
    onSuccess: onSent,
    onError: (error) => {
      if (!isShown.current) notify('error', error.message);
    },
  });
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
