/** A dialog with a form: its fields, a button that sends them, and the error that belongs to no field. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import Modal, { type ModalProps } from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import type { FormState } from './form.ts';

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
