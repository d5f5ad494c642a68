/** The text of a field that shows a saved value: it follows that value until somebody edits it. */
import { useState } from 'react';

export function useEditedText(saved: string) {
  const [text, setText] = useState(saved);
  const [before, setBefore] = useState(saved);
  if (before !== saved) {
    setBefore(saved);
    if (text === before) setText(saved);
  }
  return { value: text, onChange: setText, isChanged: text.trim() !== saved };
}
