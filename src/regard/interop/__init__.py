"""Models of other toolkits: conversion to CTranslate2."""
