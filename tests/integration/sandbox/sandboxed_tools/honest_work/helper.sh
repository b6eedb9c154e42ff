#!/bin/sh
echo helped > "$1"
echo done
