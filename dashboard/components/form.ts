/** A form that sends a change, and shows the errors of it: beside the fields, for the whole, or as a notice once the form is gone. */

import { type FormEvent, type RefObject, useEffect, useRef } from 'react';
import { fieldError, formError } from '../api/api-error.ts';
import { useChange } from '../api/change.ts';
import { useDashboard } from '../context.ts';

export interface FormState {
  readonly submit: (event: FormEvent) => void;
  readonly isPending: boolean;
  /** The error that belongs to no field. */
  readonly error: string | undefined;
}

interface FormOptions<Sent> {
  /** The fields of the request that show their errors. */
  readonly fields?: readonly string[];
  /** What is entered now, by field: an error is shown while its value is the one that was refused. */
  readonly values?: Readonly<Record<string, unknown>>;
  readonly send: () => Promise<Sent>;
  readonly onSent: (answer: Sent) => void;
}

export function useForm<Sent>({ fields = [], values = {}, send, onSent }: FormOptions<Sent>) {
  const { notify } = useDashboard();
  const isShown = useIsShown();
  const refused = useRef(values);
  const isAsRefused = (field: string): boolean => values[field] === refused.current[field];
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
    refused.current = values;
    change.mutate();
  };
  return {
    submit,
    isPending: change.isPending,
    error: Object.keys(values).every(isAsRefused) ? formError(change.error, fields) : undefined,
    errorOf: (field: string) => (isAsRefused(field) ? fieldError(change.error, field) : undefined),
  };
}

/** Whether the component is still on the page, for work that ends after it was left. */
export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
