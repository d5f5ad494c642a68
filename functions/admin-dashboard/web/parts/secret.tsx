/** New secrets, shown this once, each with a button to copy it. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';

export interface Secret {
  readonly label: string;
  readonly value: string;
}

interface SecretsProps {
  readonly title: string;
  readonly secrets: readonly Secret[];
  readonly onDone: () => void;
}

export function Secrets({ title, secrets, onDone }: SecretsProps) {
  return (
    <Modal
      visible
      header={title}
      onDismiss={({ detail }) => {
        // A slip of the mouse must not lose them.
        if (detail.reason !== 'overlay') onDone();
      }}
      footer={
        <Box float="right">
          <Button variant="primary" onClick={onDone}>
            I have copied them
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Alert type="warning">They are shown this once and cannot be looked up again.</Alert>
        {secrets.map(({ label, value }) => (
          <div key={label}>
            <Box variant="awsui-key-label">{label}</Box>
            <CopyToClipboard
              variant="inline"
              textToCopy={value}
              copyButtonAriaLabel={`Copy ${label.toLowerCase()}`}
              copySuccessText="Copied"
              copyErrorText="It could not be copied: select the text instead."
            />
          </div>
        ))}
      </SpaceBetween>
    </Modal>
  );
}
