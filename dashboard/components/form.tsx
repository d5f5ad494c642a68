/**
 * Forms and confirmations that send a change, in a page or in a dialog. Errors are shown beside the fields, for the whole form,
 * or as a notification if the form is closed.
 */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import Modal, { type ModalProps } from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { fieldError, formError } from '../api/api-error.ts';
import { useChange } from '../api/queries.ts';
import { useDashboard } from '../dashboard-context.ts';

/** The properties of a form field, without the label. */
export interface FieldOfForm {
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
}

export function useForm<
  Sent,
  Entered extends Readonly<Record<string, string | boolean>> = Record<never, never>,
>({
  first = {} as Entered,
  fields = Object.keys(first),
  send,
  done,
  onSent,
  onClose = () => undefined,
}: {
  /** The initial values of the fields. */
  readonly first?: Entered;
  /** The fields that show their errors. Default: all. */
  readonly fields?: readonly string[];
  readonly send: (values: Entered) => Promise<Sent>;
  /** The notification after the change is saved. */
  readonly done?: string | undefined;
  readonly onSent?: (answer: Sent, change: (changed: Partial<Entered>) => void) => void;
  /** Closes the form's dialog after the change is saved. */
  readonly onClose?: () => void;
}) {
  const { notify } = useDashboard();
  const isShown = useIsShown();
  const [edits, setEdits] = useState<Partial<Entered>>({});
  const edited = Object.entries(edits).filter(([name, value]) => value !== first[name]);
  // After the save, the field shows the saved value again.
  if (edited.length < Object.keys(edits).length) setEdits(Object.fromEntries(edited) as Partial<Entered>);
  const values = { ...first, ...edits };
  const change = (changed: Partial<Entered>): void => setEdits((held) => ({ ...held, ...changed }));
  // The error is shown only while the field contains the refused value.
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
    /** The error for the whole form, which belongs to no single field. */
    error: Object.keys(values).every(isAsRefused) ? formError(sending.error, fields) : undefined,
    errorOf,
    onClose,
    values,
    change,
    /** Returns the properties of a field. */
    field: <Name extends keyof Entered & string>(name: Name) => ({
      value: values[name],
      error: errorOf(name),
      onChange: (value: Entered[Name]) => change({ [name]: value } as unknown as Partial<Entered>),
    }),
  };
}

/** Returns a submit handler that calls `work` and prevents the browser from loading a page. */
export function submitted(work: () => void) {
  return (event: FormEvent): void => {
    event.preventDefault();
    work();
  };
}

/** Returns a ref that is true while the component is shown, for work that may take longer. */
function useIsShown(): RefObject<boolean> {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

/** A dialog with a form: its fields, a submit button, and the error of the whole form. */
export function FormDialog({
  title,
  action,
  form,
  isComplete = true,
  size = 'medium',
  dismissText = 'Cancel',
  children,
}: {
  readonly title: string;
  /** The text of the submit button. */
  readonly action: string;
  readonly form: {
    readonly submit: (event: FormEvent) => void;
    readonly isPending: boolean;
    readonly error: string | undefined;
    readonly onClose: () => void;
  };
  readonly isComplete?: boolean;
  readonly size?: ModalProps.Size;
  /** The text of the button that closes the dialog, for actions that themselves cancel something. */
  readonly dismissText?: string;
  readonly children: ReactNode;
}) {
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

/** The label of an optional field. */
export function Optional({ children }: { readonly children: string }) {
  return (
    <span>
      {children} <Box variant="span">– optional</Box>
    </span>
  );
}

interface Confirmation {
  readonly title: string;
  readonly action: string;
  readonly dismissText?: string;
  readonly text: string;
  readonly work: () => Promise<unknown>;
  /** The notification after the action. */
  readonly done?: string;
}

/**
 * Asks for confirmation, then runs the action. For actions that affect a client or cannot be undone.
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
