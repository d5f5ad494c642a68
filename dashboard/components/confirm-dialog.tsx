/** Asks for confirmation of an action that cannot be undone or that affects a client. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';

export interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
}

interface ConfirmDialogProps extends Confirmation {
  readonly isBusy: boolean;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

export function ConfirmDialog({ title, text, yes, isBusy, onYes, onNo }: ConfirmDialogProps) {
  return (
    <Modal
      visible
      header={title}
      onDismiss={onNo}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onNo}>
              Cancel
            </Button>
            <Button variant="primary" loading={isBusy} onClick={onYes}>
              {yes}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      {text}
    </Modal>
  );
}
