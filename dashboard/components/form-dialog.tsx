/** Dialogs: one with a form, and one that asks for confirmation. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import Modal, { type ModalProps } from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useDashboard } from '../context.ts';
import { type FormState, useForm } from './form.ts';

interface FormDialogProps {
  readonly title: string;
  /** The text of the button that sends the fields. */
  readonly action: string;
  readonly form: FormState;
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

interface Confirmation {
  readonly title: string;
  readonly text: string;
  /** The text of the button that confirms. */
  readonly action: string;
  readonly dismissText?: string;
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
  const { notify } = useDashboard();
  const form = useForm({
    send: work,
    onSent: () => {
      if (done !== undefined) notify('success', done);
    },
    onClose,
  });
  return (
    <FormDialog {...texts} form={form}>
      {text}
    </FormDialog>
  );
}
