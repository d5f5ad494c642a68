/** Saves a CSV file. */
export function downloadCsv(name: string, text: string): void {
  const address = csvAddress(text);
  saveFile(name, address);
  URL.revokeObjectURL(address);
}

/** An address of the text in this tab, until it is revoked. */
export function csvAddress(text: string): string {
  return URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/csv;charset=utf-8' }));
}

export function saveFile(name: string, address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
