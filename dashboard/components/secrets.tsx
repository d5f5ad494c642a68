/** Shows new secrets once, each with a button to copy it. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import type { NewSecrets } from '../dashboard-context.ts';
import { CopyButton } from './text.tsx';

export function Secrets({ title, secrets, onDone }: NewSecrets & { readonly onDone: () => void }) {
  const [isDismissed, setIsDismissed] = useState(false);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);

  return (
    <Modal
      visible
      header={title}
      // Escape, a click outside and the close button must not lose the secrets.
      onDismiss={() => setIsDismissed(true)}
      footer={
        <Box float="right">
          <Button variant="primary" onClick={onDone}>
            I have saved {secrets.length === 1 ? 'it' : 'them'}
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Alert type="warning">
          {secrets.length === 1 ? 'Save this secret now. It' : 'Save these secrets now. They'} cannot be
          viewed again.
        </Alert>
        {isDismissed ? (
          <div role="alert">
            <Alert type="error">To close this, confirm below that you have saved what is shown here.</Alert>
          </div>
        ) : null}
        {secrets.map(({ label, value }) => (
          <div key={label}>
            <Box variant="awsui-key-label">{label}</Box>
            <CopyButton variant="inline" name={label.toLowerCase()} text={value} />
          </div>
        ))}
      </SpaceBetween>
    </Modal>
  );
}
