/**
 * Forms that send a change, and show the errors of it: beside the fields, for the whole, or as a notice once the form is
 * gone. They are in a page or in a dialog, and so is the question whether to do something.
 */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import Modal, { type ModalProps } from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { fieldError, formError } from '../api/api-error.ts';
import { useChange } from '../api/queries.ts';
import { useDashboard } from '../context.ts';

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
  /** What is notified once the change is sent. */
  readonly done?: string | undefined;
  readonly onSent?: (answer: Sent, change: (changed: Partial<Entered>) => void) => void;
  /** Closes the dialog of the form, which is closed once the change is sent. */
  readonly onClose?: () => void;
}

export function useForm<Sent, Entered extends Values = Record<never, never>>({
  first = {} as Entered,
  fields = Object.keys(first),
  send,
  done,
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
      if (done !== undefined) notify('success', done);
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
    /** The error that belongs to no field. */
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

interface FormDialogProps {
  readonly title: string;
  /** The text of the button that sends the fields. */
  readonly action: string;
  readonly form: Pick<ReturnType<typeof useForm>, 'submit' | 'isPending' | 'error' | 'onClose'>;
  readonly isComplete?: boolean;
  readonly size?: ModalProps.Size;
  /** The text of the button that closes it, where the action itself is to cancel something. */
  readonly dismissText?: string;
  readonly children: ReactNode;
}

/** A form's fields, a button that sends them, and the error that belongs to no field. */
export function FormDialog({
  title,
  action,
  form,
  isComplete = true,
  size = 'medium',
  dismissText = 'Cancel',
  children,
}: FormDialogProps) {
  return (
    <Modal visible header={title} size={size} onDismiss={form.onClose}>
      <form onSubmit={form.submit}>
        <Form
          errorText={form.error}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button formAction="none" variant="link" onClick={form.onClose}>
                {dismissText}
              </Button>
              <Button
                variant="primary"
                formAction="submit"
                loading={form.isPending}
                loadingText={action}
                disabled={!isComplete}
              >
                {action}
              </Button>
            </SpaceBetween>
          }
        >
          <SpaceBetween size="m">{children}</SpaceBetween>
        </Form>
      </form>
    </Modal>
  );
}

/** The label of a field that may stay empty. */
export function Optional({ children }: { readonly children: string }) {
  return (
    <span>
      {children} <Box variant="span">– optional</Box>
    </span>
  );
}

interface Confirmation extends Pick<FormDialogProps, 'title' | 'action' | 'dismissText'> {
  readonly text: string;
  readonly work: () => Promise<unknown>;
  /** What is notified afterwards. */
  readonly done?: string;
}

/**
 * Asks for confirmation of an action that cannot be undone or that affects a client, then does it.
 *
 * @returns `confirm`, and the dialog for the page to show */
export function useConfirm() {
  const [asked, confirm] = useState<Confirmation>();
  const dialog = asked === undefined ? null : <ConfirmDialog {...asked} onClose={() => confirm(undefined)} />;
  return { confirm, dialog };
}

function ConfirmDialog({ text, work, done, onClose, ...texts }: Confirmation & { onClose: () => void }) {
  const form = useForm({ send: work, done, onClose });
  return (
    <FormDialog {...texts} form={form}>
      {text}
    </FormDialog>
  );
}
