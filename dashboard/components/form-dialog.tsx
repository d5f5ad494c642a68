/** A dialog with a form: its fields, a button that sends them, and the error that belongs to no field. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { formError } from '../api/client.ts';

interface FormDialogProps {
  readonly title: string;
  /** The text of the button that sends the fields. */
  readonly action: string;
  /** What is sent. */
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  /** The fields of the request whose errors are shown beside them. */
  readonly fields: readonly string[];
  readonly isComplete?: boolean;
  readonly onSubmit: () => void;
  readonly onDismiss: () => void;
  readonly children: ReactNode;
}

export function FormDialog({ title, action, change, fields, children, ...props }: FormDialogProps) {
  const { isComplete = true, onSubmit, onDismiss } = props;
  return (
    <Modal visible header={title} onDismiss={onDismiss}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) onSubmit();
        }}
      >
        <Form
          errorText={formError(change.error, fields)}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button formAction="none" variant="link" onClick={onDismiss}>
                Cancel
              </Button>
              <Button variant="primary" formAction="submit" loading={change.isPending} disabled={!isComplete}>
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
