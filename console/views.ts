/** The views in the order of the menu. */
export const views = [
  { name: '', title: 'Overview' },
  { name: 'traffic', title: 'Traffic' },
  { name: 'codes', title: 'Codes' },
  { name: 'customers', title: 'Customers' },
  { name: 'money', title: 'Money' },
  { name: 'agents', title: 'Agents' },
  { name: 'control', title: 'Control' },
] as const;
