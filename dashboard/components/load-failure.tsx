/** The error of a failed load, with a button to try again. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';

export function LoadFailure({ error, onRetry }: { readonly error: string; readonly onRetry: () => void }) {
  return (
    <Alert
      type="error"
      header="This could not be loaded"
      action={<Button onClick={onRetry}>Try again</Button>}
    >
      {error}
    </Alert>
  );
}
