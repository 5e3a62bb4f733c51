import type { NextConfig } from 'next';

export default {
  // Otherwise Next may take a folder above this one for the project.
  turbopack: { root: import.meta.dirname },
} satisfies NextConfig;
