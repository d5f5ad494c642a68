/** A text that people paste elsewhere, such as an id, with a button to copy it. */
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import type { ReactNode } from 'react';

interface CopyableProps {
  /** What the text is, for screen readers: `message id`. */
  readonly name: string;
  readonly text: string;
  /** Shown instead of the text. */
  readonly children?: ReactNode;
}

export function Copyable({ name, text, children }: CopyableProps) {
  return (
    <span className="copyable">
      <span className="id">{children ?? text}</span>
      <CopyToClipboard
        variant="icon"
        textToCopy={text}
        copyButtonAriaLabel={`Copy ${name}`}
        copySuccessText="Copied"
        copyErrorText="Copying failed. Select the text instead."
      />
    </span>
  );
}
