/** A text that people paste elsewhere, such as an id, with a button to copy it. */
import CopyToClipboard, { type CopyToClipboardProps } from '@cloudscape-design/components/copy-to-clipboard';
import type { ReactNode } from 'react';
import { inOneLine } from '../../shared/platform/visible-text.ts';

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
      <span className="id">{children ?? inOneLine(text)}</span>
      <CopyButton name={name} text={text} />
    </span>
  );
}

interface CopyButtonProps extends Omit<CopyableProps, 'children'> {
  /** `inline`: with the text. */
  readonly variant?: CopyToClipboardProps.Variant;
}

export function CopyButton({ name, text, variant = 'icon' }: CopyButtonProps) {
  return (
    <CopyToClipboard
      variant={variant}
      textToCopy={text}
      copyButtonAriaLabel={`Copy ${name}`}
      copySuccessText="Copied"
      copyErrorText="Copying failed. Select the text instead."
    />
  );
}
