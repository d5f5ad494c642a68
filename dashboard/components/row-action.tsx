/** A button in a row of a list. */
import Button from '@cloudscape-design/components/button';

interface RowActionProps {
  readonly text: string;
  /** What the row is, for screen readers. */
  readonly of: string;
  readonly isPending?: boolean;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

export function RowAction({ text, of, isPending = false, isDisabled = false, onClick }: RowActionProps) {
  return (
    <Button
      variant="inline-link"
      ariaLabel={`${text}: ${of}`}
      loading={isPending}
      disabled={isDisabled}
      onClick={onClick}
    >
      {text}
    </Button>
  );
}
