/** The text of a field whose value is in the address: it goes there after a pause in typing. */
import { useEffect, useState } from 'react';

const pauseMs = 400;

export function useTypedText(value: string, onPause: (text: string) => void) {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  // The address has changed: by Back, for instance.
  if (before !== value) {
    setBefore(value);
    if (text.trim() !== value) setText(value);
  }
  const isTyping = text.trim() !== value;
  useEffect(() => {
    if (!isTyping) return undefined;
    const timer = setTimeout(() => onPause(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  });
  return { text, setText, isTyping };
}
