/** A form that sends a change, and shows the errors of it: beside the fields, for the whole, or as a notice once the form is gone. */

import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { fieldError, formError } from '../api/api-error.ts';
import { useChange } from '../api/change.ts';
import { useDashboard } from '../context.ts';

export interface FormState {
  readonly submit: (event: FormEvent) => void;
  readonly isPending: boolean;
  /** The error that belongs to no field. */
  readonly error: string | undefined;
  readonly onClose: () => void;
}

/** What a field of a form takes, besides its label. */
export interface FieldOfForm {
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
}

type Values = Readonly<Record<string, string | boolean>>;

interface FormOptions<Entered extends Values, Sent> {
  /** What the fields of the request have until somebody edits them. */
  readonly first?: Entered;
  /** Those that show their errors, where it is not all. */
  readonly fields?: readonly string[];
  readonly send: (values: Entered) => Promise<Sent>;
  readonly onSent?: (answer: Sent, change: (changed: Partial<Entered>) => void) => void;
  /** Closes the dialog of the form, which is closed once the change is sent. */
  readonly onClose?: () => void;
}

export function useForm<Sent, Entered extends Values = Record<never, never>>({
  first = {} as Entered,
  fields = Object.keys(first),
  send,
  onSent,
  onClose = () => undefined,
}: FormOptions<Entered, Sent>) {
  const { notify } = useDashboard();
  const isShown = useIsShown();
  const [edits, setEdits] = useState<Partial<Entered>>({});
  const edited = Object.entries(edits).filter(([name, value]) => value !== first[name]);
  // Once it is saved, a field follows what is saved again.
  if (edited.length < Object.keys(edits).length) setEdits(Object.fromEntries(edited) as Partial<Entered>);
  const values = { ...first, ...edits };
  const change = (changed: Partial<Entered>): void => setEdits((held) => ({ ...held, ...changed }));
  // An error is shown while its value is the one that was refused.
  const refused = useRef(values);
  const isAsRefused = (field: string): boolean => values[field] === refused.current[field];
  const sending = useChange({
    meta: { showsError: true },
    mutationFn: () => send(values),
    onSuccess: (answer) => {
      onClose();
      onSent?.(answer, change);
    },
    onError: (error) => {
      if (!isShown.current) notify('error', error.message);
    },
  });
  const submit = submitted(() => {
    refused.current = values;
    sending.mutate();
  });
  const errorOf = (field: string) => (isAsRefused(field) ? fieldError(sending.error, field) : undefined);
  return {
    submit,
    isPending: sending.isPending,
    error: Object.keys(values).every(isAsRefused) ? formError(sending.error, fields) : undefined,
    errorOf,
    onClose,
    values,
    change,
    /** What a field of the form takes. */
    field: <Name extends keyof Entered & string>(name: Name) => ({
      value: values[name],
      error: errorOf(name),
      onChange: (value: Entered[Name]) => change({ [name]: value } as unknown as Partial<Entered>),
    }),
  };
}

/** What a form does when it is submitted, instead of loading a page. */
export function submitted(work: () => void) {
  return (event: FormEvent): void => {
    event.preventDefault();
    work();
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
