/** Asks for confirmation of an action that cannot be undone or that affects a client. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

export interface Confirmation {
  readonly title: string;
  readonly text: ReactNode;
  /** The text of the button that confirms. */
  readonly action: string;
}

interface ConfirmDialogProps extends Confirmation {
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onDismiss: () => void;
}

export function ConfirmDialog({ title, text, action, isBusy, onConfirm, onDismiss }: ConfirmDialogProps) {
  return (
    <Modal
      visible
      header={title}
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onDismiss}>
              Cancel
            </Button>
            <Button variant="primary" loading={isBusy} onClick={onConfirm}>
              {action}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      {text}
    </Modal>
  );
}
